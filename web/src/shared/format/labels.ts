/**
 * Which labels of a scale are displayed: the named ones, then each that leaves room for those before. Places and room
 * are in percent of the width; a label begins at its place.
 */
export function withoutOverlap(places: readonly number[], room: number, named: readonly number[] = []): boolean[] {
  const shown = new Set(named.filter((index) => places[index] !== undefined));
  places.forEach((place, index) => {
    if ([...shown].every((other) => Math.abs((places[other] ?? 0) - place) >= room)) shown.add(index);
  });
  return places.map((_, index) => shown.has(index));
}

/** Which thresholds are displayed: those that leave room for the label of the present place and for each other. */
export function visibleThresholds(places: readonly number[], now: number, room: number): boolean[] {
  let last = Number.NEGATIVE_INFINITY;
  return places.map((place) => {
    const isClose = place <= now ? now - place < room * 0.88 : place - now < 1.5;
    if (isClose || place - last < room) return false;
    last = place;
    return true;
  });
}
