import { IconCheck, IconX } from '@tabler/icons-react';
import { Button, IconButton } from '../../../components/Button.js';
import { hasPayouts, netSums, sumWords } from '../../../features/statements/pay-sums.js';
import styles from './Approvals.module.css';
import { type ApprovalRow, approvalVerb } from './approval-rows.js';

interface ApprovalBarProps {
  /** The currency of the workspace. */
  readonly currency: string;
  readonly rows: readonly ApprovalRow[];
  readonly selected: readonly ApprovalRow[];
  readonly onClear: () => void;
  readonly onApprove: () => void;
}

/** Count and sum of the selection; on a phone the sum is in the button. */
export function ApprovalBar({ currency, rows, selected, onClear, onApprove }: ApprovalBarProps) {
  const statements = selected.map(({ statement }) => statement);
  const sums = sumWords(netSums(statements, currency));
  return (
    <section aria-label="Selection" className={styles.bar}>
      <IconButton icon={IconX} label="Clear the selection" onClick={onClear} />
      <span className="strong" role="status">
        {selected.length} selected
      </span>
      <span className={styles.others}>{remainder(rows)}</span>
      <span className={styles.sum}>
        <span className="dim">{hasPayouts(statements) ? 'payable' : 'net'}</span>
        <span className="num">{sums}</span>
      </span>
      <Button kind="primary" size="final" icon={IconCheck} onClick={onApprove}>
        <span>
          {approvalVerb(statements)} {selected.length}
          <span className={`num ${styles.sumInButton}`}>, {sums}</span>
        </span>
      </Button>
    </section>
  );
}

/** What the others need, such as "Leila and Tomas need a review first, Sam needs a quota". */
function remainder(rows: readonly ApprovalRow[]): string {
  const names = (of: (hold: ApprovalRow['hold']) => boolean) =>
    rows.filter(({ hold }) => of(hold)).map(({ statement }) => statement.name.split(' ')[0] as string);
  const reviews = names((hold) => hold?.kind === 'review' || (hold?.kind === 'blocked' && hold.reason === 'stale'));
  const quotas = names((hold) => hold?.kind === 'blocked' && hold.reason === 'quota_missing');
  return [
    needs(reviews, 'a review first'),
    needs(quotas, 'a quota'),
    needs(
      names((hold) => hold?.kind === 'question'),
      'an answer',
    ),
  ]
    .filter((text) => text !== '')
    .join(', ');
}

function needs(names: readonly string[], what: string): string {
  if (names.length === 0) return '';
  if (names.length > 2) return `${names.length} people need ${what}`;
  return `${names.join(' and ')} ${names.length === 1 ? 'needs' : 'need'} ${what}`;
}
