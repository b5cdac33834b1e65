/** In whose name things happen that no request asked for: upstream's service accounts, so that existing queries work. */
export const GARBAGE_COLLECTOR = "system:serviceaccount:kube-system:generic-garbage-collector";
export const NAMESPACE_CONTROLLER = "system:serviceaccount:kube-system:namespace-controller";
/** Custom objects are removed by the API server itself when their definition goes. */
export const API_SERVER = "system:apiserver";
