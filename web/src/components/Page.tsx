import { Fragment } from 'react';
import { type Crumb, useSetCrumbs } from '../app/page-title.js';
import blocks from './Blocks.module.css';
import styles from './Page.module.css';

interface PageProps {
  readonly title: React.ReactNode;
  /** The path in the header. The last entry is the present page. */
  readonly crumbs: readonly Crumb[];
  /** Facts below the title. */
  readonly facts?: readonly React.ReactNode[];
  /** Buttons and the period, to the right of the title. */
  readonly actions?: React.ReactNode;
  /** Uses the full width, for grids. */
  readonly isWide?: boolean;
  /** Hides what follows a part that is loading, so that nothing moves. */
  readonly isInOrder?: boolean;
  readonly children: React.ReactNode;
}

/** The frame of a page: title, facts, actions, and blocks with equal distances. */
export function Page({ title, crumbs, facts = [], actions, isWide = false, isInOrder = false, children }: PageProps) {
  useSetCrumbs(crumbs);
  return (
    <div className={`${styles.page} ${isWide ? styles.wide : ''} ${isInOrder ? blocks.inOrder : ''}`}>
      <header className={styles.header}>
        <h1>{title}</h1>
        <Facts facts={facts} />
        {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Short facts in one line, separated by dots. */
export function Facts({ facts }: { readonly facts: readonly React.ReactNode[] }) {
  const present = facts.filter((fact) => fact !== null && fact !== undefined && fact !== '' && fact !== false);
  if (facts.length === 0) return null;
  // The line of facts that are loading has its height already, so that nothing below moves.
  return (
    <p className={styles.facts}>
      {present.map((fact, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the facts of a page have no other identity
        <Fragment key={index}>
          {index === 0 ? null : (
            <span aria-hidden="true" className={styles.dot}>
              •
            </span>
          )}
          <span>{fact}</span>
        </Fragment>
      ))}
    </p>
  );
}

interface CardProps {
  readonly title?: React.ReactNode;
  readonly note?: React.ReactNode;
  readonly action?: React.ReactNode;
  /** Removes the padding below the title, for tables. */
  readonly isFlush?: boolean;
  readonly className?: string;
  readonly children: React.ReactNode;
}

/** A bordered block with a heading. */
export function Card({ title, note, action, isFlush = false, className, children }: CardProps) {
  return (
    <section className={`${styles.card} ${className ?? ''}`}>
      {title === undefined ? null : (
        <div className={styles.cardHead}>
          <div className={styles.cardTitle}>
            <h2>{title}</h2>
            {note === undefined ? null : <span className={styles.note}>{note}</span>}
          </div>
          {action}
        </div>
      )}
      <div className={isFlush ? styles.flush : styles.body}>{children}</div>
    </section>
  );
}
