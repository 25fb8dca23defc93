import { IconCheck } from '@tabler/icons-react';
import styles from './StepLine.module.css';

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
          <span className={index < current ? styles.done : styles.number} aria-hidden="true">
            {index < current ? <IconCheck size={14} stroke={2} /> : index + 1}
          </span>
          <span>
            {step}
            {index < current ? <span className="unseen">, done</span> : null}
          </span>
        </li>
      ))}
    </ol>
  );
}
