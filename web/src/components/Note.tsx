import { type Icon } from '@tabler/icons-react';
import styles from './Note.module.css';

interface NoteProps {
  readonly tone: 'info' | 'warning' | 'negative' | 'neutral';
  readonly icon: Icon;
  readonly title: React.ReactNode;
  /** Figures at the right of the text. */
  readonly figures?: React.ReactNode;
  readonly actions?: React.ReactNode;
  readonly children?: React.ReactNode;
}

/** A tinted block that explains a row or a page: a title, a sentence, figures and actions. */
export function Note({ tone, icon: Glyph, title, figures, actions, children }: NoteProps) {
  return (
    <div className={`${styles.note} ${styles[tone] ?? ''}`}>
      <Glyph size={18} stroke={1.75} className={styles.icon} aria-hidden="true" />
      <div className={styles.text}>
        <p className={styles.title}>{title}</p>
        {children}
      </div>
      {figures === undefined ? null : <div className={styles.figures}>{figures}</div>}
      {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
