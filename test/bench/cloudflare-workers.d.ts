/** As much of the runtime's own module as the worker of the ceilings uses; the global types of Workers are not Node's. */
declare module "cloudflare:workers" {
  export abstract class DurableObject<Env> {
    protected readonly env: Env;
    constructor(ctx: unknown, env: Env);
  }
}
