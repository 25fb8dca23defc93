import { IconCheck } from '@tabler/icons-react';
import styles from './StepMark.module.css';

interface StepMarkProps {
  readonly state: 'open' | 'current' | 'done';
  /** The number of the step; without it an open step has an empty circle. */
  readonly number?: number;
}

/** The circle of a step; a finished step has a check mark. Screen readers do not read it out. */
export function StepMark({ state, number }: StepMarkProps) {
  return (
    <span className={`${styles.mark} ${styles[state]}`} aria-hidden="true">
      {state === 'done' ? <IconCheck size={14} stroke={2} /> : number}
    </span>
  );
}
