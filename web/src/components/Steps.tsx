import { StepMark } from './StepMark.js';
import styles from './Steps.module.css';

interface Step {
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
          <StepMark state={isDone ? 'done' : 'open'} number={index + 1} />
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
