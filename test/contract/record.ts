import { type Contract } from './contract.js';
import { direction, isWithin } from './keys.js';

/** The contract and which values have the fields of an earlier value, by heading and key. */
export interface ContractRecord {
  readonly contract: Contract;
  readonly sharedFrom: ReadonlyMap<string, string>;
}

const header = `# Every operation of the API and every MCP tool: what callers depend on. Written by \`npm run generate\`.
# A value marked "as" has the fields of an earlier one.
`;

/** Objects with fewer lines are repeated rather than referred to. */
const minSharedLines = 4;

/**
 * The record as text. Fields that a request shares with an earlier request, or a response with an earlier response,
 * are written once.
 */
export function printRecord(contract: Contract): string {
  const known = new Map<string, string>();
  const sections = [...contract].map(([heading, lines]) => printSection(heading, [...lines], known));
  return [header, ...sections].join('\n');
}

function printSection(heading: string, lines: readonly (readonly [string, string])[], known: Map<string, string>) {
  const printed: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const [key, value] = lines[index] as [string, string];
    const within = countWithin(key, lines, index + 1);
    const fields = lines.slice(index + 1, index + 1 + within).map(([name, text]) => `${relative(name, key)}: ${text}`);
    const signature = `${direction(key)}\n${fields.join('\n')}`;
    const earlier = within < minSharedLines ? undefined : known.get(signature);
    printed.push(`  ${key}: ${value}${earlier === undefined ? '' : ` as ${earlier}`}\n`);
    if (earlier !== undefined) index += within;
    else if (within >= minSharedLines) known.set(signature, `${heading} ${key}`);
  }
  return `${heading}\n${printed.join('')}`;
}

/** The lines of the fields of an object follow it directly. */
function countWithin(key: string, lines: readonly (readonly [string, string])[], start: number): number {
  const end = lines.findIndex(([name], index) => index >= start && !isWithin(name, key));
  return (end === -1 ? lines.length : end) - start;
}

/** The name of a field without the object, and without whether the object is in a list or a map. */
function relative(name: string, key: string): string {
  return name.slice(key.length).replace(/^(\[\]|\{\})+/, '');
}

/** Throws for text that is no record, such as one with the marks of a merge conflict. */
export function parseRecord(text: string): ContractRecord {
  const contract = new Map<string, Map<string, string>>();
  const sharedFrom = new Map<string, string>();
  let heading = '';
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    const [, key, value, earlier] = /^ {2}([^: ]+): (.*?)(?: as (\S+ \S+ \S+))?$/.exec(line) ?? [];
    if (key === undefined || value === undefined) {
      if (!/^[A-Za-z]+ \S+$/.test(line)) throw new Error(`The record has the line: ${line}`);
      heading = line;
      contract.set(heading, new Map());
    } else {
      contract.get(heading)?.set(key, value);
      if (earlier !== undefined) copyFields(contract, heading, key, value, earlier);
      if (earlier !== undefined) sharedFrom.set(`${heading} ${key}`, earlier);
    }
  }
  return { contract, sharedFrom };
}

function copyFields(
  contract: Map<string, Map<string, string>>,
  heading: string,
  key: string,
  value: string,
  from: string,
) {
  const [method, name, source = ''] = from.split(' ');
  const lines = contract.get(`${method} ${name}`);
  if (lines?.has(source) !== true) throw new Error(`The record refers to ${from}, which it does not contain before`);
  const lists = value.split(' of ').slice(0, -1);
  const suffix = lists.map((list) => (/^[^ ]*\bmap\b/.test(list) ? '{}' : '[]')).join('');
  for (const [field, text] of [...lines])
    if (isWithin(field, source)) contract.get(heading)?.set(`${key}${suffix}${relative(field, source)}`, text);
}
