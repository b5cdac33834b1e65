/**
 * One step of a path, as FieldsV1 writes it: `f:spec` a field, `k:{"name":"web"}` the item of a list with that key,
 * `v:"x"` a value of a set, `i:0` an index.
 */
export type PathElement = string & { readonly __brand: "PathElement" };

/**
 * A set of paths as a tree. A node that is a member is in the set; a node with children is only on the way to them, unless
 * it is a member too. The root is never a member: nobody owns a whole object.
 *
 * Invariant: below the root every node is a member or has children. Sets are never modified once they are made.
 *
 * Source: sigs.k8s.io/structured-merge-diff, `fieldpath.Set`.
 */
export interface FieldSet {
  readonly member: boolean;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

const NO_CHILDREN: ReadonlyMap<PathElement, FieldSet> = new Map();

export const EMPTY_SET: FieldSet = { member: false, children: NO_CHILDREN };
/** A member without children. */
export const LEAF: FieldSet = { member: true, children: NO_CHILDREN };

export const field = (name: string): PathElement => `f:${name}` as PathElement;

export const isEmpty = (set: FieldSet): boolean => !set.member && set.children.size === 0;

/** A set of fields, each given by the names on its way. */
export function setOf(...paths: readonly (readonly string[])[]): FieldSet {
  return paths.reduce<FieldSet>(
    (set, path) =>
      union(
        set,
        path.reduceRight<FieldSet>((below, name) => parentOf(field(name), below), LEAF),
      ),
    EMPTY_SET,
  );
}

const parentOf = (element: PathElement, child: FieldSet): FieldSet => ({
  member: false,
  children: new Map([[element, child]]),
});

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a)) return b;
  if (isEmpty(b)) return a;
  const children = new Map(a.children);
  for (const [element, child] of b.children) {
    const known = children.get(element);
    children.set(element, known === undefined ? child : union(known, child));
  }
  return { member: a.member || b.member, children };
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    if (other === undefined) continue;
    const both = intersection(child, other);
    if (!isEmpty(both)) children.set(element, both);
  }
  return { member: a.member && b.member, children };
}

/** Path by path: taking a parent away leaves its children, and the other way round. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(b)) return a;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    const left = other === undefined ? child : difference(child, other);
    if (!isEmpty(left)) children.set(element, left);
  }
  return { member: a.member && !b.member, children };
}

export function setsEqual(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.member !== b.member || a.children.size !== b.children.size) return false;
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    if (other === undefined || !setsEqual(child, other)) return false;
  }
  return true;
}

/** The paths of a set in upstream's order: the members of a level first, then what lies below each. */
export function pathsOf(set: FieldSet): PathElement[][] {
  const ordered = inOrder(set.children);
  return [
    ...ordered.filter(([, child]) => child.member).map(([element]) => [element]),
    ...ordered.flatMap(([element, child]) => pathsOf(child).map((path) => [element, ...path])),
  ];
}

export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) node = node?.children.get(element);
  return node?.member ?? false;
}

/** Fields before keys before values before indexes, each by its text. */
export function inOrder(children: ReadonlyMap<PathElement, FieldSet>): [PathElement, FieldSet][] {
  const entries = [...children];
  return entries.length < 2 ? entries : entries.sort(([a], [b]) => compareElements(a, b));
}

const KINDS_IN_ORDER = "fkvi";

function compareElements(a: PathElement, b: PathElement): number {
  if (a[0] === b[0]) return a < b ? -1 : 1;
  return KINDS_IN_ORDER.indexOf(a[0] ?? "") - KINDS_IN_ORDER.indexOf(b[0] ?? "");
}
