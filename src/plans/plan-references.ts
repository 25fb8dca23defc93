import { type Condition, type Leaf } from '../engine/condition.js';
import { isLineSlug } from '../engine/deal-line.js';
import { foldedSlug } from '../engine/folded-slug.js';
import { fieldsIn } from '../engine/formula.js';
import { lineSummarySlugs } from '../engine/line-summary.js';
import { type PlanTerms, type Rule } from '../engine/plan-config.js';
import { dealCount, lineCount, type SlugMapping, teamEarnings } from '../engine/slug.js';
import { standardNamedBy } from '../engine/standard-slugs.js';
import { readRuleNames } from './plan-warnings.js';

/** A field that a plan reads: its slug, and the path in the config that names it. */
export interface FieldReference {
  readonly slug: string;
  readonly path: string;
}

/** A value that a condition compares a select or status field with. */
export interface ValueReference extends FieldReference {
  readonly value: string;
  /** True for `contains`, which matches part of a value. */
  readonly partly: boolean;
}

/** Every field that the terms read, in the order of the config. */
export function listFieldReferences(config: unknown, terms: PlanTerms, mapping: SlugMapping): FieldReference[] {
  const conditions = conditionLeaves(terms).map(({ leaf, path }) => ({ slug: leaf.field, path: `${path}.field` }));
  const rules = terms.rules.flatMap((rule, index) => listRuleFields(rule, config, index));
  const mapped = Object.entries(mapping).map(([name, slug]) => ({ slug, path: `fieldMapping.${name}` }));
  const named = [...conditions, ...rules].flatMap(nameFields);
  // Conditions of a plan with such rules name no line, so that only these rules do.
  const hasLines = terms.rules.some(({ lines }) => lines !== undefined);
  const isOfDeal = ({ slug }: FieldReference) =>
    !lineSummarySlugs.includes(foldedSlug(slug)) && !(hasLines && isLineSlug(slug));
  return [...named.filter(isOfDeal), ...mapped];
}

function nameFields({ slug, path }: FieldReference): FieldReference[] {
  return fieldsIn(slug).map((field) => ({ slug: field, path }));
}

/** The fields of rules with lines, of lines and of deals. */
export function listLineReferences(config: unknown, { rules }: PlanTerms): FieldReference[] {
  return rules.flatMap((rule, index) => {
    if (rule.lines === undefined) return [];
    const compared = listLeaves(rule.lines.conditions ?? [], `config.rules.${index}.lines.conditions`);
    const leaves = compared.map(({ leaf, path }) => ({ slug: leaf.field, path: `${path}.field` }));
    return [...listRuleFields(rule, config, index), ...leaves].flatMap(nameFields);
  });
}

function listRuleFields(rule: Rule, config: unknown, index: number): FieldReference[] {
  const { path, measure, tierValue } = readRuleNames(config, index);
  const isField = rule.payoutBase !== 'variable_target' && rule.payoutBase !== '1';
  const fields: (readonly [slug: string | undefined, name: string])[] = [
    [rule.measure, measure],
    [isField ? rule.payoutBase : undefined, 'payoutBase'],
    [rule.tierValueField, tierValue],
    [rule.quotaMeasure, 'quotaMeasure'],
    ...(rule.quotaCredit ?? []).map(({ field }, position) => [field, `quotaCredit.${position}.field`] as const),
  ];
  return fields.flatMap(([slug, name]) =>
    slug === undefined || counts.includes(slug) ? [] : [{ slug, path: `${path}.${name}` }],
  );
}

const counts: readonly string[] = [dealCount, lineCount, teamEarnings];

const comparisons = new Set(['equals', 'not_equals', 'in', 'not_in', 'contains', 'not_contains']);

/**
 * Values that conditions compare stages and other select fields with. Free text is left out: it has no list of
 * values.
 */
export function listValueReferences(terms: PlanTerms): ValueReference[] {
  return conditionLeaves(terms)
    .filter(({ leaf }) => comparisons.has(leaf.operator) && isChoice(leaf))
    .flatMap(({ leaf, path }) => {
      const partly = leaf.operator === 'contains' || leaf.operator === 'not_contains';
      const listed = Array.isArray(leaf.value);
      return [leaf.value]
        .flat()
        .flatMap((value: unknown, position) =>
          typeof value === 'string' || typeof value === 'number'
            ? [{ slug: leaf.field, path: `${path}.value${listed ? `.${position}` : ''}`, value: String(value), partly }]
            : [],
        );
    });
}

function isChoice({ field, fieldType }: Leaf): boolean {
  return fieldType === 'select' || fieldType === 'status' || standardNamedBy(field) === 'dealStage';
}

function conditionLeaves(terms: PlanTerms): { readonly leaf: Leaf; readonly path: string }[] {
  return [
    ...listLeaves(terms.dealConditions, 'config.dealConditions'),
    ...terms.rules.flatMap((rule, index) => listLeaves(rule.conditions, `config.rules.${index}.conditions`)),
  ];
}

function listLeaves(conditions: readonly Condition[], path: string): { readonly leaf: Leaf; readonly path: string }[] {
  return conditions.flatMap((condition, index) =>
    'rules' in condition
      ? condition.rules.map((leaf, position) => ({ leaf, path: `${path}.${index}.rules.${position}` }))
      : [{ leaf: condition, path: `${path}.${index}` }],
  );
}
