import { type FieldType } from '../engine/condition.js';
import { type StandardField, standardFields } from '../engine/field-value.js';
import { standardNamedBy } from '../engine/slug.js';
import { type FieldDefinition, wordsOf } from './field-definition.js';

export interface SuggestedMapping {
  readonly standard: Partial<Record<StandardField, string>>;
  readonly measures: Record<string, string>;
}

interface Usual {
  /** What CRMs and spreadsheets call it, without case and punctuation, the surest first. */
  readonly names: readonly string[];
  /** The types it has where it is filled as it should be. */
  readonly types: readonly FieldType[];
  /** What its name holds when it has none of the usual ones; looked for among fields of the types only. */
  readonly like: RegExp;
}

const usual: Readonly<Record<StandardField, Usual>> = {
  dealAmount: {
    names: [
      'dealamount',
      'amount',
      'value',
      'dealvalue',
      'closevalue',
      'opportunityamount',
      'opportunityvalue',
      'contractvalue',
      'totalamount',
      'totalvalue',
    ],
    types: ['number', 'currency'],
    like: /amount|value/,
  },
  dealStage: {
    names: [
      'dealstage',
      'stage',
      'stagename',
      'salesstage',
      'opportunitystage',
      'pipelinestage',
      'dealstatus',
      'status',
    ],
    types: ['status', 'select', 'text'],
    like: /stage/,
  },
  closeDate: {
    names: ['closedate', 'closedat', 'closedon', 'dateclosed', 'closeddate', 'closed', 'wondate', 'expectedclosedate'],
    types: ['date', 'timestamp'],
    like: /close/,
  },
  dealName: {
    names: ['dealname', 'name', 'opportunityname', 'dealtitle', 'title', 'opportunity', 'deal'],
    types: ['text', 'select'],
    like: /(deal|opportunity)name/,
  },
  ownerId: {
    names: [
      'ownerid',
      'hubspotownerid',
      'owner',
      'dealowner',
      'dealownerid',
      'opportunityowner',
      'salesagent',
      'salesrep',
      'salesperson',
      'accountexecutive',
      'assignedto',
      'rep',
    ],
    types: ['text', 'select', 'number'],
    like: /owner|agent|salesrep/,
  },
  currency: {
    names: ['currency', 'currencycode', 'dealcurrencycode', 'dealcurrency', 'currencyisocode', 'isocurrency'],
    types: ['select', 'text'],
    like: /currency/,
  },
  createdDate: {
    names: ['createddate', 'createdate', 'createdat', 'createdon', 'datecreated', 'created', 'opendate', 'engagedate'],
    types: ['date', 'timestamp'],
    like: /created?(date|at|on|time)/,
  },
};

/** What a plan could well pay on: words for money and for quantities. */
const measureWords = new Set(
  `acv arr mrr tcv gmv amount bookings fee fees hours licenses licences margin meetings price profit quantity revenue
   seats units users value`.split(/\s+/),
);

/** Numbers about these are no quantities, whatever else the name says. */
const otherWords = new Set('code date days id ids number percent percentage probability rank rate year'.split(' '));

/** A field mapping as it can be saved, read from the names of the fields. */
export function suggestMapping(fields: readonly FieldDefinition[]): SuggestedMapping {
  const standard = matchStandard(fields);
  const taken = new Set(Object.values(standard));
  return { standard, measures: matchMeasures(fields, taken) };
}

/** The surest matches of all standard values come before the guesses of any, and no field is given twice. */
function matchStandard(fields: readonly FieldDefinition[]): Partial<Record<StandardField, string>> {
  const taken = new Map<StandardField, string>();
  for (const find of [byNameAndType, byName, byLikeness]) {
    for (const name of standardFields) {
      if (taken.has(name)) continue;
      const given = [...taken.values()];
      const match = find(
        usual[name],
        fields.filter(({ slug }) => !given.includes(slug)),
      );
      if (match !== undefined) taken.set(name, match.slug);
    }
  }
  return Object.fromEntries(standardFields.flatMap((name) => (taken.has(name) ? [[name, taken.get(name)]] : [])));
}

type Find = (wanted: Usual, fields: readonly FieldDefinition[]) => FieldDefinition | undefined;

const byNameAndType: Find = (wanted, fields) =>
  byName(
    wanted,
    fields.filter(({ type }) => wanted.types.includes(type)),
  );

/** A yes or no is none of them, however it is called. */
const byName: Find = ({ names }, fields) => {
  for (const name of names) {
    const match = fields.find(
      ({ slug, label, type }) => type !== 'checkbox' && (bare(slug) === name || bare(label) === name),
    );
    if (match !== undefined) return match;
  }
  return undefined;
};

const byLikeness: Find = ({ like, types }, fields) =>
  fields.find(({ slug, type }) => types.includes(type) && like.test(bare(slug)));

function matchMeasures(fields: readonly FieldDefinition[], taken: ReadonlySet<string>): Record<string, string> {
  const slugs = new Set(fields.map(({ slug }) => slug));
  const measures = new Map<string, string>();
  for (const { slug, type } of fields) {
    if (taken.has(slug) || !(type === 'number' || type === 'currency')) continue;
    if (isOther(slug) || !wordsOf(slug).some((word) => measureWords.has(word))) continue;
    const short = wordsOf(slug).join('_');
    // A measure hides what else has its name: another field, or a standard value.
    const name = slugs.has(short) || measures.has(short) ? slug : short;
    if (standardNamedBy(name) === undefined) measures.set(name, slug);
  }
  return Object.fromEntries([...measures].slice(0, 500));
}

function isOther(slug: string): boolean {
  return wordsOf(slug).some((word) => otherWords.has(word));
}

function bare(text: string): string {
  return wordsOf(text).join('');
}
