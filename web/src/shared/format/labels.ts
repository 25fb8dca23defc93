/**
 * Which labels of a scale are displayed: the named ones, then each that leaves room for those before. Positions and room
 * are in percent of the width; a label begins at its position.
 */
export function withoutOverlap(positions: readonly number[], room: number, named: readonly number[] = []): boolean[] {
  const visible = new Set(named.filter((index) => positions[index] !== undefined));
  positions.forEach((position, index) => {
    if ([...visible].every((other) => Math.abs((positions[other] ?? 0) - position) >= room)) visible.add(index);
  });
  return positions.map((_, index) => visible.has(index));
}

/** Whether the label of the present position ends there, because a threshold or the end of the scale follows it closely. */
export function isLabelLeft(positions: readonly number[], now: number, room: number): boolean {
  return now > 100 - room || (now >= room && positions.some((position) => position > now && position - now < room));
}

/** Which thresholds are displayed: those that leave room for the label of the present position and for each other. */
export function visibleThresholds(
  positions: readonly number[],
  now: number,
  room: number,
  isNowLeft: boolean,
): boolean[] {
  let last = Number.NEGATIVE_INFINITY;
  return positions.map((position) => {
    const isClose = position <= now ? now - position < room * 0.88 : position - now < (isNowLeft ? 1.5 : room);
    if (isClose || position - last < room) return false;
    last = position;
    return true;
  });
}
