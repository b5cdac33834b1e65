/** Bundled as text: a rule in `wrangler.toml`, and the loader of the local server. */
declare module "*.sh" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: this is how a bundler gives a text
  export default text;
}
