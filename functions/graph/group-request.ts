import type { Outcome } from "../objects/failure.ts";
import type { Candidate, CreateContext } from "./decide/create.ts";
import type { RequestDecision } from "./decide/request.ts";
import type { MutationRequest } from "./request.ts";

/** A request of a group, as far as it can be told without the store. */
export interface Prepared {
  request: MutationRequest;
  /** What a create's body was turned into, or why it could not be. */
  candidate: Outcome<Candidate> | undefined;
  /** What a new object is made with. */
  creation: CreateContext;
  name: string;
}

/** The same, decided against what is stored. */
export interface Decided extends Prepared {
  decision: Outcome<RequestDecision>;
  /** The body that its write stores; undefined when it stores none. */
  body: string | undefined;
}
