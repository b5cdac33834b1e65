import type { MessageTable } from "../message-table.ts";

/** The messages of `authentication.k8s.io`, as Kubernetes 1.33.1 has them. */
export const authenticationMessages: MessageTable = {
  "authentication.k8s.io/v1": {
    BoundObjectReference: { 1: "kind string", 2: "apiVersion string", 3: "name string", 4: "uid string" },
    ExtraValue: { 1: "= []string" },
    SelfSubjectReview: { 1: "metadata meta.k8s.io/v1.ObjectMeta", 2: "status SelfSubjectReviewStatus" },
    SelfSubjectReviewStatus: { 1: "userInfo UserInfo" },
    TokenRequest: {
      1: "metadata meta.k8s.io/v1.ObjectMeta",
      2: "spec TokenRequestSpec!",
      3: "status TokenRequestStatus",
    },
    TokenRequestSpec: {
      1: "audiences []string",
      3: "boundObjectRef BoundObjectReference!",
      4: "expirationSeconds int64!",
    },
    TokenRequestStatus: { 1: "token string!", 2: "expirationTimestamp Time!" },
    UserInfo: { 1: "username string", 2: "uid string", 3: "groups []string", 4: "extra map ExtraValue" },
  },
};
