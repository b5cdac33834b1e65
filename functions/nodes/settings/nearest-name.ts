/** The known name that was most likely meant; undefined when none is near. Case does not count. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const written = name.slice(0, 100).toLowerCase();
  let nearest: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(written, candidate.toLowerCase());
    if (nearest === undefined || distance < nearest.distance) nearest = { name: candidate, distance };
  }
  const most = Math.max(2, Math.floor(written.length / 2));
  return nearest && nearest.distance <= most ? nearest.name : undefined;
}

/** Levenshtein's: how many letters must be put in, taken out or changed. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
