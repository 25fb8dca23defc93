import { IconArrowDown, IconArrowUp, IconCopy, IconPlus } from '@tabler/icons-react';
import { IconButton } from '../../../components/Button.js';
import { freeName, isSame, newRule } from '../../../features/plans/draft.js';
import { summarizeRule } from '../../../features/plans/summary.js';
import { conditionLines } from '../../../features/plans/words.js';
import { formatDay } from '../../../shared/format/dates.js';
import styles from './Builder.module.css';
import { type Builder, type Part } from './use-builder.js';

interface RuleListProps {
  readonly builder: Builder;
  readonly currency: string;
  readonly part: Part;
  readonly onPart: (part: Part) => void;
}

/** What holds for the whole plan, and its rules, each with a summary in words. */
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
      <p className={styles.listLabel}>The plan</p>
      <button
        type="button"
        className={styles.card}
        aria-pressed={part === 'conditions'}
        onClick={() => onPart('conditions')}
      >
        <span>{`In ${currency}${draft.fx === undefined ? '' : ', others converted'}${draft.effectiveEnd === null ? '' : `, until ${formatDay(draft.effectiveEnd, 'long')}`}`}</span>
        <span className="second">
          {`Pays on ${
            lines.length > 0
              ? `deals where ${lines.join('; ')}`
              : rules.every(({ executionPhase }) => executionPhase === 'cascade')
                ? 'every deal on which the team earns'
                : 'every deal, also open ones'
          }`}
        </span>
      </button>
      <p className={styles.listLabel}>Rules</p>
      <ul className={styles.rules}>
        {rules.map((rule, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the name of a rule changes while it is typed
          <li key={index} className={styles.ruleItem}>
            <button type="button" className={styles.card} aria-pressed={part === index} onClick={() => onPart(index)}>
              <span className={styles.cardHead}>
                <span className="strong">{rule.name || 'Without a name'}</span>
                {saved !== null && !saved.terms.rules.some((savedRule) => isSame(savedRule, rule)) ? (
                  <span className={styles.changed}>Changed</span>
                ) : null}
              </span>
              <span className="second">{summarizeRule(rule, currency)}</span>
            </button>
            {part === index ? (
              <span className={styles.movers}>
                <IconButton
                  icon={IconCopy}
                  label={`Copy ${rule.name}`}
                  onClick={() => {
                    const copy = { ...rule, name: freeName(rules, `Copy of ${rule.name}`) };
                    editTerms({ rules: [...rules.slice(0, index + 1), copy, ...rules.slice(index + 1)] });
                    onPart(index + 1);
                  }}
                />
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
