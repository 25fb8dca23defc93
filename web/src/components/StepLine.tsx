import styles from './StepLine.module.css';
import { StepMark } from './StepMark.js';

interface StepLineProps {
  readonly label: string;
  readonly steps: readonly string[];
  /** Index of the step that the page displays. */
  readonly current: number;
}

/** The steps of a page over its full width; the present one is underlined. */
export function StepLine({ label, steps, current }: StepLineProps) {
  return (
    <ol aria-label={label} className={styles.line}>
      {steps.map((step, index) => (
        <li key={step} className={styles.step} aria-current={index === current ? 'step' : undefined}>
          <StepMark state={index < current ? 'done' : index === current ? 'current' : 'open'} number={index + 1} />
          <span>
            {step}
            {index < current ? <span className="unseen">, done</span> : null}
          </span>
        </li>
      ))}
    </ol>
  );
}
