import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const service = process.env['SERVICE_URL'] ?? 'http://127.0.0.1:3000';
const ofService = ['/v1', '/auth', '/docs', '/sign-in', '/sign-out', '/session'];

/** The page loads the fonts with its scripts: text that changes its font later would move what follows it. */
const preloadFonts: Plugin = {
  name: 'preload-fonts',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((name) => /inter-latin-(400|600)-normal-[\w-]+\.woff2$/.test(name))
        .map((name) => ({
          tag: 'link',
          attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `./${name}`, crossorigin: '' },
          injectTo: 'head' as const,
        })),
  },
};

const mantine =
  'Menu|Modal|ModalBase|Popover|Transition|FocusTrap|Portal|Overlay|CloseButton|Paper|UnstyledButton|Floating';
const packages = [
  'react-dom|react|scheduler|@floating-ui',
  '@tanstack/(react-router|router-core|history|query-core|react-query)',
  `@mantine/(hooks|core/esm/(core|components/(${mantine})))`,
];

/** What every page loads of the packages. One file compresses better than the thirty into which the pages would split it. */
const frame = new RegExp(`node_modules/(${packages.join('|')})/`.replaceAll('/', '[\\\\/]'));

// The addresses of the built files are relative: the service may have a path in PUBLIC_URL.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [react(), preloadFonts],
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    assetsDir: 'app',
    assetsInlineLimit: 0,
    target: 'es2022',
    manifest: true,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'frame', test: frame }] } } },
  },
  server: { proxy: Object.fromEntries(ofService.map((path) => [path, service])) },
});
