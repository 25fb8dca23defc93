import { compareValues, type Effect } from './compare-values.js';
import { describePart, direction, isAlternative, isWithin, splitKey } from './keys.js';
import { type ContractRecord } from './record.js';

export interface Change {
  readonly kind: Effect[0];
  /** `POST /v1/plans` or `tool list_plans`. */
  readonly subject: string;
  /** The parameter, field or error code, such as `config.rules[].measure`; null for the whole subject. */
  readonly part: string | null;
  readonly text: string;
}

/** `breaking: POST /v1/plans: request field name became required`. */
export function printChange({ kind, subject, text }: Change): string {
  return `${kind}: ${subject}${text === '' ? '' : `: ${text}`}`;
}

type Lines = ReadonlyMap<string, string>;

/** Every difference, breaking ones first. Fields that several values share are compared where they are written. */
export function compareRecords(before: ContractRecord, after: ContractRecord): Change[] {
  const subjects = new Set([...before.contract.keys(), ...after.contract.keys()]);
  const changes = [...subjects].flatMap((subject) => {
    const [old, now] = [before.contract.get(subject), after.contract.get(subject)];
    if (now === undefined) return [{ kind: 'breaking', subject, part: null, text: 'was removed' } as const];
    if (old === undefined) return [{ kind: 'added', subject, part: null, text: '' } as const];
    const isShared = (key: string) => {
      const earlier = before.sharedFrom.get(`${subject} ${key}`);
      return earlier !== undefined && earlier === after.sharedFrom.get(`${subject} ${key}`);
    };
    return compareSections(old, now, isShared).map(({ key, part, effect: [kind, text] }): Change => {
      return { kind, subject, part, text: `${text}${sharersText(subject, key, after)}` };
    });
  });
  const order: readonly Change['kind'][] = ['breaking', 'changed', 'added'];
  return changes.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

interface Difference {
  readonly key: string;
  readonly part: string | null;
  readonly effect: Effect;
}

function compareSections(before: Lines, after: Lines, isShared: (key: string) => boolean): Difference[] {
  const compared: string[] = [];
  const differences: Difference[] = [];
  for (const key of [...before.keys(), ...[...after.keys()].filter((each) => !before.has(each))]) {
    if (compared.some((outer) => isWithin(key, outer))) continue;
    const [old, now] = [before.get(key), after.get(key)];
    // The fields of a new or removed object are not listed, and shared fields are compared once.
    if (old === undefined || now === undefined || isShared(key)) compared.push(key);
    differences.push(...compareLines(key, old, now));
  }
  return differences;
}

function compareLines(key: string, before: string | undefined, after: string | undefined): Difference[] {
  if (before === after) return [];
  const part = splitKey(key)[1] || null;
  if (key === 'errors') return compareErrors(before ?? '', after ?? '');
  return effects(key, before, after).map((effect) => ({ key, part, effect }));
}

function effects(key: string, before: string | undefined, after: string | undefined): Effect[] {
  if (direction(key) === 'about') return [aboutEffect(key, before, after)];
  if (before !== undefined && after !== undefined) return compareValues(key, before, after);
  if (before !== undefined) return [removal(key)];
  return [addition(key, after as string)];
}

function aboutEffect(key: string, before = 'none', after = 'none'): Effect {
  if (key === 'text') return ['changed', 'description'];
  if (key === 'deprecated') return ['changed', after === 'yes' ? 'is deprecated' : 'is no longer deprecated'];
  return [onlyAddsRoles(before, after) ? 'changed' : 'breaking', `${key} changed from ${before} to ${after}`];
}

/** A further role may call the operation, and everyone who could still can. */
function onlyAddsRoles(before: string, after: string): boolean {
  const alsoFor = /(?: also-for=(\S+))?$/;
  const rolesOf = (access: string) => alsoFor.exec(access)?.[1]?.split(',') ?? [];
  const roles = rolesOf(after);
  return (
    before.replace(alsoFor, '') === after.replace(alsoFor, '') && rolesOf(before).every((role) => roles.includes(role))
  );
}

/** A response with fewer alternatives surprises no client. */
function removal(key: string): Effect {
  const kind = isAlternative(key) && direction(key) === 'response' ? 'changed' : 'breaking';
  return [kind, `${describePart(key)} was removed`];
}

function addition(key: string, value: string): Effect {
  const isRequired = value.split(' of ')[0]?.split(' ').includes('required') === true;
  if (direction(key) === 'request')
    return isRequired ? ['breaking', `new required ${describePart(key)}`] : ['added', describePart(key)];
  // Neither a status nor an alternative is expected by clients that were written before.
  const isUnexpected = /^\d+$/.test(key) || isAlternative(key);
  return isUnexpected ? ['breaking', `new ${describePart(key)}`] : ['added', describePart(key)];
}

function compareErrors(before: string, after: string): Difference[] {
  const [old, now] = [statusByCode(before), statusByCode(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((code): Difference[] => {
    const [status, newStatus] = [old.get(code), now.get(code)];
    if (status === newStatus) return [];
    const effect: Effect =
      newStatus === undefined
        ? ['breaking', `error ${code} was removed`]
        : status === undefined
          ? ['added', `error ${code} (${newStatus})`]
          : ['breaking', `error ${code} changed its status from ${status} to ${newStatus}`];
    return [{ key: 'errors', part: code, effect }];
  });
}

function statusByCode(text: string): Lines {
  const statuses = text.split(' ').map((status) => status.split(/[=|]/));
  return new Map(statuses.flatMap(([status = '', ...codes]) => codes.map((code) => [code, status] as const)));
}

const listedSharers = 3;

/** The other operations and tools that a change of shared fields concerns. */
function sharersText(subject: string, key: string, { sharedFrom }: ContractRecord): string {
  const found = new Set<string>();
  const search = (owner: string, changed: string) => {
    for (const [place, source] of sharedFrom) {
      const [method, name, field = ''] = source.split(' ');
      if (`${method} ${name}` !== owner || !isWithin(changed, field) || found.has(place)) continue;
      found.add(place);
      const [placeMethod, placeName, placeKey = ''] = place.split(' ');
      // Some field within the value.
      search(`${placeMethod} ${placeName}`, `${placeKey}.`);
    }
  };
  search(subject, key);
  const others = [...new Set([...found].map((place) => place.split(' ').slice(0, 2).join(' ')))].filter(
    (other) => other !== subject,
  );
  if (others.length === 0) return '';
  const more = others.length > listedSharers ? ` and ${others.length - listedSharers} more` : '';
  return `; also ${others.slice(0, listedSharers).join(', ')}${more}`;
}
