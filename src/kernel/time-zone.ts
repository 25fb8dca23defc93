/** Whether Node.js has the time zone. Offsets are rejected because they have no daylight saving time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The time zone, or UTC for a stored one that Node.js does not know; the database does the same (`known_zone`). */
export function knownZone(name: string): string {
  return isTimeZone(name) ? name : 'UTC';
}

/** The name that Node.js gives the zone: US/Eastern and America/New_York are one. */
export function canonicalZone(name: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: knownZone(name) }).resolvedOptions().timeZone;
}

/** The time of the day on the clocks of the zone, HH:MM. */
export function timeInZone(instant: Date, timeZone: string): string {
  const terms = { timeZone: knownZone(timeZone), hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat('en', terms).format(instant);
}

/** Seconds by which the clocks of the zone are ahead of UTC at the instant. */
export function zoneOffset(instant: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(instant);
  const part = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return (local - instant.getTime()) / 1000;
}
