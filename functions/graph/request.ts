import type { Failure } from "../objects/failure.ts";
import type { Kind, Subresource } from "../objects/kind.ts";
import type { DeleteOptions } from "../objects/metadata/delete-options.ts";
import type { FieldValidation } from "../objects/metadata/field-validation.ts";
import type { PatchType } from "../objects/patch/patch.ts";
import type { Principal } from "../objects/roles.ts";

/** What a graph object is asked over RPC. Bodies travel as text and are parsed once, where they are decided. */
export interface MutationRequest {
  kind: Kind;
  /** The API version in the path: it decides defaults, and what the answer's `apiVersion` says. */
  version: string;
  /** The user: for the record of what is lost, and for what only some may write. */
  principal: Principal;
  /** Who comes to own the fields that it changes; absent when nobody says. */
  manager?: string;
  dryRun: boolean;
  /** What becomes of fields that are unknown or come twice; they are ignored when nobody says. */
  fieldValidation?: FieldValidation;
  mutation: Mutation;
}

export type SubresourceName = Subresource["name"];

export type Mutation =
  | { verb: "create"; text: string; mediaType: string }
  | {
      verb: "update";
      name: string;
      subresource: SubresourceName | undefined;
      text: string;
      mediaType: string;
    }
  | { verb: "patch"; name: string; subresource: SubresourceName | undefined; type: PatchType; text: string }
  /** A PATCH with a configuration, which may make the object; `force` takes fields over from other owners. */
  | { verb: "apply"; name: string; subresource: SubresourceName | undefined; text: string; force: boolean }
  | { verb: "delete"; name: string; options: DeleteOptions };

export type MutationReply =
  | { ok: true; code: 200 | 201 | 202; result: Result; warnings: string[] }
  | { ok: false; failure: Failure };

export type Result =
  /** The object as JSON text in the version that was asked for. */
  | { as: "object"; body: string }
  /** It is gone, and its kind answers with a Status. */
  | { as: "removed"; name: string; uid: string };
