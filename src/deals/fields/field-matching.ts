import { type FieldType } from '../../engine/condition.js';
import { type StandardField, standardFields } from '../../engine/field-value.js';
import { standardNamedBy } from '../../engine/standard-slugs.js';
import { type FieldDefinition, splitWords } from './field-definition.js';

interface SuggestedMapping {
  readonly standard: Partial<Record<StandardField, string>>;
  readonly measures: Record<string, string>;
}

interface Usual {
  /** Common names in CRMs and spreadsheets, without case and punctuation, the most certain first. */
  readonly names: readonly string[];
  /** Types of a correctly filled field. */
  readonly types: readonly FieldType[];
  /** Pattern for unusual names; applied only to fields of the types. */
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

/** Words for money and quantities: candidates for measures. */
const measureWords = new Set(
  `acv arr mrr tcv gmv amount bookings fee fees hours licenses licences margin meetings price profit quantity revenue
   seats units users value`.split(/\s+/),
);

/** Numbers with these words are not quantities. */
const otherWords = new Set('code date days id ids number percent percentage probability rank rate year'.split(' '));

/** Suggests a field mapping from the names of the fields. */
export function suggestMapping(fields: readonly FieldDefinition[]): SuggestedMapping {
  const standard = matchStandard(fields);
  const matched = new Set(Object.values(standard));
  return { standard, measures: matchMeasures(fields, matched) };
}

/** Certain matches come before guesses, and no field is used twice. */
function matchStandard(fields: readonly FieldDefinition[]): Partial<Record<StandardField, string>> {
  const matched = new Map<StandardField, string>();
  for (const find of [byNameAndType, byName, byLikeness]) {
    for (const name of standardFields) {
      if (matched.has(name)) continue;
      const used = [...matched.values()];
      const match = find(
        usual[name],
        fields.filter(({ slug }) => !used.includes(slug)),
      );
      if (match !== undefined) matched.set(name, match.slug);
    }
  }
  return Object.fromEntries(standardFields.flatMap((name) => (matched.has(name) ? [[name, matched.get(name)]] : [])));
}

type Find = (usualField: Usual, fields: readonly FieldDefinition[]) => FieldDefinition | undefined;

const byNameAndType: Find = (usualField, fields) =>
  byName(
    usualField,
    fields.filter(({ type }) => usualField.types.includes(type)),
  );

/** A checkbox never matches, whatever its name. */
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

function matchMeasures(fields: readonly FieldDefinition[], matched: ReadonlySet<string>): Record<string, string> {
  const slugs = new Set(fields.map(({ slug }) => slug));
  const measures = new Map<string, string>();
  for (const { slug, type } of fields) {
    if (matched.has(slug) || !(type === 'number' || type === 'currency')) continue;
    if (isOther(slug) || !splitWords(slug).some((word) => measureWords.has(word))) continue;
    const short = splitWords(slug).join('_');
    // A measure hides other fields of its name.
    const name = slugs.has(short) || measures.has(short) ? slug : short;
    if (standardNamedBy(name) === undefined) measures.set(name, slug);
  }
  return Object.fromEntries([...measures].slice(0, 500));
}

function isOther(slug: string): boolean {
  return splitWords(slug).some((word) => otherWords.has(word));
}

function bare(text: string): string {
  return splitWords(text).join('');
}
