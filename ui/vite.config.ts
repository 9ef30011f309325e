import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// During development the pages run beside a Weir at WEIR_URL; in use, Weir itself serves them from its own origin.
const weir = process.env.WEIR_URL ?? "http://127.0.0.1:8484";

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  server: { proxy: { "/api": weir, "/readyz": weir, "/healthz": weir, "/openapi.json": weir } },
  build: {
    target: "es2022",
    // The pages' Content-Security-Policy allows images as data: but no fonts or scripts so; small files stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1600,
  },
});
