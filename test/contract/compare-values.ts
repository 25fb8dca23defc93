import { describePart, direction } from './keys.js';
import { type Keyword, keywords, type LineValue, parseEnum, parseValue } from './line-value.js';

/** What a change means for callers that were written before, and its description. */
export type Effect = readonly [kind: 'breaking' | 'changed' | 'added', text: string];

export function compareValues(key: string, before: string, after: string): Effect[] {
  const compare = direction(key) === 'request' ? compareRequest : compareResponse;
  return compare(parseValue(before), parseValue(after)).map(([kind, text]) => [
    kind,
    text === 'description' ? `description of ${describePart(key)}` : `${describePart(key)} ${text}`,
  ]);
}

/** A value that callers send: what they sent before must still be accepted, with the same meaning. */
function compareRequest(before: LineValue, after: LineValue): Effect[] {
  const effects: Effect[] = [];
  if (before.required !== after.required)
    effects.push(after.required ? ['breaking', 'became required'] : ['changed', 'became optional']);
  for (const type of missingTypes(before, after)) effects.push(['breaking', `no longer accepts ${type}`]);
  for (const type of missingTypes(after, before)) effects.push(['changed', `also accepts ${type}`]);
  effects.push(...compareFacets(before, after, requestRules));
  return [...effects, ...compareItems(before, after, compareRequest)];
}

/** A value that callers read: they must not receive what they did not expect before. */
function compareResponse(before: LineValue, after: LineValue): Effect[] {
  const effects: Effect[] = [];
  if (before.required !== after.required)
    effects.push(after.required ? ['changed', 'is always present'] : ['breaking', 'may be missing']);
  for (const type of missingTypes(after, before)) effects.push(['breaking', `may be ${type}`]);
  for (const type of missingTypes(before, after)) effects.push(['changed', `is no longer ${type}`]);
  effects.push(...compareFacets(before, after, responseRules));
  return [...effects, ...compareItems(before, after, compareResponse)];
}

/** Types of the first value that the second one excludes. */
function missingTypes({ types }: LineValue, { types: others }: LineValue): string[] {
  if (others.includes('any')) return [];
  return types.filter((type) => !others.includes(type) && !(type === 'integer' && others.includes('number')));
}

function compareItems(before: LineValue, after: LineValue, compare: typeof compareRequest): Effect[] {
  // That a list became something else is reported as a change of type.
  if (before.of === null || after.of === null) return [];
  return compare(before.of, after.of).map(([kind, text]) => [kind, `items: ${text}`]);
}

type Rule = (before: string | undefined, after: string | undefined, keyword: Keyword) => Effect[];
type Rules = Readonly<Record<Keyword, Rule>>;

function compareFacets(before: LineValue, after: LineValue, rules: Rules): Effect[] {
  return keywords.flatMap((keyword) => {
    const [old, now] = [before.facets.get(keyword), after.facets.get(keyword)];
    return old === now ? [] : rules[keyword](old, now, keyword);
  });
}

function fromTo(keyword: string, before = 'none', after = 'none'): string {
  return `changed ${keyword} from ${before} to ${after}`;
}

const lowerBound: Rule = (before, after, keyword) => {
  const isNarrower = after !== undefined && (before === undefined || Number(after) > Number(before));
  return [[isNarrower ? 'breaking' : 'changed', fromTo(keyword, before, after)]];
};

const upperBound: Rule = (before, after, keyword) => {
  const isNarrower = after !== undefined && (before === undefined || Number(after) < Number(before));
  return [[isNarrower ? 'breaking' : 'changed', fromTo(keyword, before, after)]];
};

const reported: Rule = (before, after, keyword) => [['changed', fromTo(keyword, before, after)]];

/** Whether one pattern or format includes another is not decided: each change of it is breaking. */
const acceptedForm: Rule = (before, after, keyword) => [
  [after === undefined ? 'changed' : 'breaking', fromTo(keyword, before, after)],
];
const returnedForm: Rule = (before, after, keyword) => [
  [before === undefined ? 'changed' : 'breaking', fromTo(keyword, before, after)],
];

const acceptedValues: Rule = (before, after) => {
  if (before === undefined) return [['breaking', `accepts only ${after}`]];
  if (after === undefined) return [['changed', `accepts more than ${before}`]];
  const [lost, gained] = valueDifference(before, after);
  return [
    ...lost.map((value): Effect => ['breaking', `no longer accepts the value ${value}`]),
    ...gained.map((value): Effect => ['added', `value ${value}`]),
  ];
};

/** Clients must ignore values that they do not know, as they ignore fields. */
const returnedValues: Rule = (before, after) => {
  if (before === undefined) return [['changed', `is one of ${after}`]];
  if (after === undefined) return [['breaking', `may be another value than ${before}`]];
  const [lost, gained] = valueDifference(before, after);
  return [
    ...lost.map((value): Effect => ['changed', `is never ${value}`]),
    ...gained.map((value): Effect => ['added', `value ${value}`]),
  ];
};

function valueDifference(before: string, after: string): readonly [lost: string[], gained: string[]] {
  const [old, now] = [parseEnum(before), parseEnum(after)];
  return [old.filter((value) => !now.includes(value)), now.filter((value) => !old.includes(value))];
}

/** Without the keyword, a body is JSON. */
const media: Rule = (before = 'application/json', after = 'application/json') => {
  const [lost, gained] = valueDifference(before, after);
  return [
    ...lost.map((type): Effect => ['breaking', `no longer has the media type ${type}`]),
    ...gained.map((type): Effect => ['added', `media type ${type}`]),
  ];
};

/** Callers that omit the value get the default. */
const requestDefault: Rule = (before, after, keyword) => [
  [before === undefined ? 'changed' : 'breaking', fromTo(keyword, before, after)],
];

const deprecated: Rule = (_before, after) => [
  ['changed', after === undefined ? 'is no longer deprecated' : 'is deprecated'],
];

const description: Rule = () => [['changed', 'description']];

const open: Rule = (_before, after) => [
  after === undefined ? ['breaking', 'rejects other fields'] : ['changed', 'accepts other fields'],
];

const common = { media, deprecated, open, text: description };

const requestRules: Rules = {
  ...common,
  format: acceptedForm,
  pattern: acceptedForm,
  minimum: lowerBound,
  exclusiveMinimum: lowerBound,
  minLength: lowerBound,
  minItems: lowerBound,
  maximum: upperBound,
  exclusiveMaximum: upperBound,
  maxLength: upperBound,
  maxItems: upperBound,
  enum: acceptedValues,
  default: requestDefault,
};

const responseRules: Rules = {
  ...common,
  format: returnedForm,
  pattern: returnedForm,
  minimum: reported,
  exclusiveMinimum: reported,
  minLength: reported,
  minItems: reported,
  maximum: reported,
  exclusiveMaximum: reported,
  maxLength: reported,
  maxItems: reported,
  enum: returnedValues,
  default: reported,
};
