import { LinkButton } from '../../../components/Button.js';
import { InlineInput } from '../../../components/Inline.js';
import { type Rule } from '../../../features/plans/draft.js';
import {
  type Field,
  isNewScore,
  measureChoices,
  newScore,
  scoreSlug,
  withFormula,
} from '../../../features/plans/fields.js';
import { conditionLines, fieldWords, lineCount } from '../../../features/plans/words.js';
import styles from './Builder.module.css';
import { FormField, FormulaField, SelectField } from './FormField.js';
import { type RuleFormProps } from './RuleForm.js';

type MeasureFieldProps = Pick<
  RuleFormProps,
  'rule' | 'fields' | 'productFields' | 'planConditions' | 'onChange' | 'onMoveConditions'
>;

/** What a rule adds up: a field of deals, their number, a formula, or a score that people enter for each period. */
export function MeasureField({
  rule,
  fields,
  productFields,
  planConditions,
  onChange,
  onMoveConditions,
}: MeasureFieldProps) {
  const isScore = isNewScore(rule, fields);
  return (
    <>
      <SelectField
        label="Measure"
        value={rule.measure}
        choices={[
          ...(rule.lines === undefined ? choicesOfDeals(rule, fields) : choicesOfLines(rule, productFields)),
          ...(isScore || rule.lines !== undefined ? [] : [[newScore, 'a score, entered here'] as const]),
        ]}
        onValue={(measure) =>
          onChange(measure === newScore ? { measure, executionPhase: 'periodic', payout: undefined } : { measure })
        }
      />
      <FormulaField name="Measure" value={rule.measure} onValue={(measure) => onChange({ measure })} />
      {isScore ? (
        <FormField label="Name of the score">
          <InlineInput
            label="Name of the score"
            value={fieldWords(rule.measure)}
            isWrong={rule.measure === ''}
            onChange={({ currentTarget }) => onChange({ measure: scoreSlug(currentTarget.value) })}
          />
        </FormField>
      ) : null}
      {isScore && planConditions.length > 0 ? (
        <p className={styles.warning}>
          A score is no deal that can meet the condition “{conditionLines(planConditions).join('; ')}” of the plan, so
          it would pay nothing.{' '}
          <LinkButton className="strong" onClick={onMoveConditions}>
            Move it to the other rules
          </LinkButton>
        </p>
      ) : null}
    </>
  );
}

function choicesOfDeals({ measure }: Rule, fields: readonly Field[]) {
  return withFormula(measureChoices(fields, measure), measure);
}

function choicesOfLines({ measure }: Rule, productFields: readonly Field[]) {
  const named = measureChoices(productFields, measure === lineCount ? undefined : measure);
  return withFormula([...named, [lineCount, fieldWords(lineCount)]], measure, '= line.amount');
}
