/** What a cascade is foretold from: objects without their content, and who names whom. */

/**
 * One JSON array of what the rules read of object `o`: ownerReferences, finalizers, deletionTimestamp,
 * deletionGracePeriodSeconds; of Pods nodeName, terminationGracePeriodSeconds and phase; of Namespaces spec.finalizers.
 * All of it from one look into the body. Of a plain object nothing but the first can be there, and the rest is left out.
 */
const SKETCH = `
  CASE WHEN o.plain THEN '[' || coalesce(o.body -> '$.metadata.ownerReferences', 'null') || ']'
  ELSE json_extract(o.body, '$.metadata.ownerReferences', '$.metadata.finalizers', '$.metadata.deletionTimestamp',
    '$.metadata.deletionGracePeriodSeconds', '$.spec.nodeName', '$.spec.terminationGracePeriodSeconds', '$.status.phase',
    '$.spec.finalizers') END AS sketch`;

const COLUMNS = `o.uid, o.resource, o.namespace, o.name, o.resource_version, ${SKETCH}`;

/** Read as arrays: there may be 100,000 of them. */
export type SketchRow = [
  uid: string,
  resource: string,
  namespace: string,
  name: string,
  resourceVersion: number,
  sketch: string,
];

export const READ_SKETCH = `
SELECT ${COLUMNS} FROM objects o WHERE o.cluster = ?1 AND o.resource = ?2 AND o.namespace = ?3 AND o.name = ?4`;

/** ?2: uids. */
export const READ_SKETCHES = `
SELECT ${COLUMNS} FROM json_each(?2) e CROSS JOIN objects o ON o.uid = e.value WHERE o.cluster = ?1`;

/**
 * Who names these owners, with the place of the owner in the list. ?2: uids; those of the first one after the namespace ?3
 * and the dependent ?4; at most ?5. In the order of the list and then of the index.
 */
export const READ_NAMED_BY = `
SELECT ${COLUMNS}, e.key AS owner
FROM json_each(?2) e
CROSS JOIN owner_refs r ON r.cluster = ?1 AND r.owner_uid = e.value
  AND (r.namespace, r.dependent_uid) >
    (CASE e.key WHEN 0 THEN ?3 ELSE '' END, CASE e.key WHEN 0 THEN ?4 ELSE '' END)
CROSS JOIN objects o ON o.uid = r.dependent_uid
LIMIT ?5`;

/** What is stored under these resources in a namespace, after the name ?4 of the first one. ?2: resources. */
export const READ_SKETCHES_WITHIN = `
SELECT ${COLUMNS}
FROM json_each(?2) e
CROSS JOIN objects o ON o.cluster = ?1 AND o.resource = e.value AND o.namespace = ?3
  AND o.name > CASE e.key WHEN 0 THEN ?4 ELSE '' END
LIMIT ?5`;

/** The objects of a resource in all namespaces, after the namespace ?3 and the name ?4. */
export const READ_SKETCHES_OF = `
SELECT ${COLUMNS} FROM objects o
WHERE o.cluster = ?1 AND o.resource = ?2 AND (o.namespace, o.name) > (?3, ?4)
ORDER BY o.namespace, o.name LIMIT ?5`;
