import { svelte } from '@sveltejs/vite-plugin-svelte'
import { aoapp } from 'aoapp/vite'
import { defineConfig } from 'vite'

export default defineConfig({ plugins: [svelte(), aoapp()] })
