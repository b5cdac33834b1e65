/** An owner reference of a case. What is left out follows from the object `to`, or names nothing that exists. */
export interface CaseOwner {
  to?: string;
  apiVersion?: string;
  kind?: string;
  name?: string;
  uid?: string;
  controller?: boolean;
  block?: boolean;
}

export interface CaseObject {
  id: string;
  kind: string;
  ns?: string;
  owners?: CaseOwner[];
  finalizers?: string[];
}

/** One API call, or `settle`: wait for the collector, then look at everything. */
export type Step =
  | { create: CaseObject }
  | {
      delete: string;
      policy?: string;
      orphanDependents?: boolean;
      dryRun?: boolean;
      preconditions?: { uid?: string; resourceVersion?: string };
      query?: string;
      noBody?: boolean;
    }
  | { deleteCollection: string; ns: string; policy?: string }
  | { deleteNamespace: string }
  | { setFinalizers: string; finalizers: string[] }
  | { setOwners: string; owners: CaseOwner[] }
  | {
      request: { method: string; path: string; body?: unknown; contentType?: string };
      /** What the request makes counts as this object from then on. */
      as?: CaseObject;
    }
  | { settle: true };

/** What an API call answered. */
export interface Reply {
  code: number;
  kind?: string;
  status?: string;
  reason?: string;
  deleting?: true;
  finalizers?: string[];
}

/** What is left of an object: `"gone"`, or what matters about it. */
export type Condition = "gone" | { deleting?: true; finalizers?: string[]; owners?: string[] };

/** By the ids of a case; `events` has its OwnerRefInvalidNamespace events. */
export type State = Record<string, Condition | string[]>;

export type Seen = Reply | { state: State };

/** Steps, and for each of them what Kubernetes 1.20 did. */
export interface RecordedCase {
  name: string;
  namespaces: string[];
  steps: Step[];
  expect: Seen[];
}
