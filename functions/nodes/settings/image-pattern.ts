import type { ImagePattern } from "./settings.ts";

/** What an image is called: its id, its tags, its digests. */
export interface NamedImage {
  readonly id: string;
  readonly tags: readonly string[];
  readonly digests: readonly string[];
}

/**
 * Whether a pattern means the image. `*` stands for any characters, `/` among them. Without a tag or digest it means
 * all tags: `nginx` is `docker.io/library/nginx:1.27` too, since names are read as docker reads them. An id, or the
 * beginning of one from 12 digits on, means that image.
 */
export function matchesImage(pattern: ImagePattern, { id, tags, digests }: NamedImage): boolean {
  const hex = /^(?:sha256:)?([0-9a-f]{12,64})$/.exec(pattern)?.[1];
  if (hex !== undefined && id.replace(/^sha256:/, "").startsWith(hex)) return true;
  const forms = new Set([pattern, fullName(pattern)]);
  return [...tags, ...digests].some((name) =>
    [...forms].some((form) => matchesGlob(form, name) || matchesGlob(form, repositoryOf(name))),
  );
}

/**
 * Whether one of the image's names is of one of the registries: `registry.example:5000`, or with a path,
 * `docker.io/library`. `*` stands for any characters. An image without a name cannot be pulled by one.
 */
export function isServedBy(registries: readonly ImagePattern[], { tags, digests }: NamedImage): boolean {
  return [...tags, ...digests].some((name) =>
    registries.some((registry) => {
      const repository = repositoryOf(name);
      const from = registry.replace(/\/+$/, "");
      return matchesGlob(from, repository) || matchesGlob(`${from}/*`, repository);
    }),
  );
}

/** `nginx` is `docker.io/library/nginx`. Source: distribution/reference, `ParseDockerRef`. */
function fullName(name: string): string {
  const [first = "", ...rest] = name.split("/");
  if (rest.length === 0) return `docker.io/library/${name}`;
  return /[.:*]/.test(first) || first === "localhost" ? name : `docker.io/${name}`;
}

/** Without tag and digest. */
const repositoryOf = (name: string): string => name.replace(/@.*$/, "").replace(/:[^/:]*$/, "");

/** Without backtracking: after each `*` the next piece is taken where it comes first. */
function matchesGlob(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === text;
  const last = rest.pop() ?? "";
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}
