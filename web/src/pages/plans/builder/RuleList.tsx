import { IconArrowDown, IconArrowUp, IconPlus } from '@tabler/icons-react';
import { IconButton } from '../../../components/Button.js';
import { freeName, isSame, newRule } from '../../../plans/draft.js';
import { summaryOf } from '../../../plans/summary.js';
import { conditionLines } from '../../../plans/words.js';
import styles from './Builder.module.css';
import { type Builder, type Part } from './use-builder.js';

interface RuleListProps {
  readonly builder: Builder;
  readonly currency: string;
  readonly part: Part;
  readonly onPart: (part: Part) => void;
}

/** The conditions of the plan and its rules, each with a summary in words. */
export function RuleList({ builder: { draft, saved, editTerms }, currency, part, onPart }: RuleListProps) {
  const { dealConditions, rules } = draft.terms;
  const move = (index: number, to: number) => {
    const next = [...rules];
    next.splice(to, 0, ...next.splice(index, 1));
    editTerms({ rules: next });
    onPart(to);
  };
  const lines = conditionLines(dealConditions);
  return (
    <>
      <p className={styles.listLabel}>Pays on deals where</p>
      <button
        type="button"
        className={styles.card}
        aria-pressed={part === 'conditions'}
        onClick={() => onPart('conditions')}
      >
        {lines.length === 0 ? 'every deal, also open ones' : lines.join('; ')}
      </button>
      <p className={styles.listLabel}>Rules</p>
      <ul className={styles.rules}>
        {rules.map((rule, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the name of a rule changes while it is typed
          <li key={index} className={styles.ruleItem}>
            <button type="button" className={styles.card} aria-pressed={part === index} onClick={() => onPart(index)}>
              <span className={styles.cardHead}>
                <span className="strong">{rule.name || 'Without a name'}</span>
                {saved !== null && !saved.terms.rules.some((one) => isSame(one, rule)) ? (
                  <span className={styles.changed}>Changed</span>
                ) : null}
              </span>
              <span className="second">{summaryOf(rule, currency)}</span>
            </button>
            {part === index && rules.length > 1 ? (
              <span className={styles.movers}>
                <IconButton
                  icon={IconArrowUp}
                  label={`Move ${rule.name} up`}
                  disabled={index === 0}
                  onClick={() => move(index, index - 1)}
                />
                <IconButton
                  icon={IconArrowDown}
                  label={`Move ${rule.name} down`}
                  disabled={index === rules.length - 1}
                  onClick={() => move(index, index + 1)}
                />
              </span>
            ) : null}
          </li>
        ))}
      </ul>
      <button
        type="button"
        className={styles.add}
        onClick={() => {
          editTerms({ rules: [...rules, newRule(freeName(rules, 'New rule'))] });
          onPart(rules.length);
        }}
      >
        <IconPlus size={16} aria-hidden="true" /> Add rule
      </button>
    </>
  );
}
