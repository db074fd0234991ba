import vue from '@vitejs/plugin-vue'
import { aoapp } from 'aoapp/vite'
import { defineConfig } from 'vite'

export default defineConfig({ plugins: [vue(), aoapp()] })
