import { aoapp } from 'aoapp/vite'
import { defineConfig } from 'vite'

export default defineConfig({ plugins: [aoapp()] })
