import { expect, test } from "vitest";
import { isServedBy, matchesImage } from "./image-pattern.ts";
import type { ImagePattern } from "./settings.ts";

const HEX = "d74226fde1aa617d4dfa0d020849dd0111d5f128418229b5b120afc9a31119cd";
const nginx = {
  id: `sha256:${HEX}`,
  tags: ["docker.io/library/nginx:1.27"],
  digests: [`docker.io/library/nginx@sha256:${"a".repeat(64)}`],
};
const own = { id: HEX, tags: ["registry.example:5000/team/app:v1"], digests: [] };

test.each([
  ["nginx", true],
  ["nginx:1.27", true],
  ["nginx:1.*", true],
  ["nginx:1.26", false],
  ["docker.io/library/nginx", true],
  ["docker.io/*", true],
  ["*/nginx:*", true],
  ["*nginx*", true],
  ["*", true],
  ["ngin", false],
  ["my/nginx", false],
  [`sha256:${HEX}`, true],
  [HEX.slice(0, 12), true],
  [HEX.slice(0, 11), false],
  [`nginx@sha256:${"a".repeat(64)}`, true],
  ["*aab*", false],
])("%s means docker.io/library/nginx:1.27: %s", (pattern, matches) => {
  expect(matchesImage(pattern as ImagePattern, nginx)).toBe(matches);
});

test.each([
  [["docker.io"], nginx, true],
  [["docker.io/library"], nginx, true],
  [["docker.io/lib"], nginx, false],
  [["registry.example"], own, false],
  [["registry.example:5000"], own, true],
  [["registry.example:*"], own, true],
  [["registry.example:5000/team/"], own, true],
  [[], nginx, false],
  [["docker.io"], { id: HEX, tags: [], digests: [] }, false],
])("%j can serve %j: %s", (registries, image, served) => {
  expect(isServedBy(registries as ImagePattern[], image)).toBe(served);
});
