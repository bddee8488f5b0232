import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// One file with script and style inside, which src/report puts into the library.
export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    chunkSizeWarningLimit: 1500,
    rollupOptions: { input: "report.html" },
  },
});
