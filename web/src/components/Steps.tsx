import { IconCheck } from '@tabler/icons-react';
import styles from './Steps.module.css';

export interface Step {
  readonly title: string;
  readonly detail: React.ReactNode;
  readonly isDone: boolean;
}

/** Numbered steps beside each other; a finished step has a check mark. */
export function Steps({ label, steps }: { readonly label: string; readonly steps: readonly Step[] }) {
  return (
    <ol aria-label={label} className={styles.steps}>
      {steps.map(({ title, detail, isDone }, index) => (
        <li key={title} className={styles.step}>
          <span className={isDone ? styles.done : styles.open} aria-hidden="true">
            {isDone ? <IconCheck size={14} stroke={2} /> : index + 1}
          </span>
          <div>
            <p className={styles.title}>
              {title}
              <span className="unseen">{isDone ? ', done' : ', to do'}</span>
            </p>
            <p className={styles.detail}>{detail}</p>
          </div>
        </li>
      ))}
    </ol>
  );
}
