import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiError } from '#src/client.js';
import { describeError } from '../api/describe-error.js';
import { copyText } from '../app/clipboard.js';
import { Button, LinkButton } from './Button.js';
import styles from './States.module.css';

interface EmptyStateProps {
  readonly title: string;
  /** Why there is nothing, and what will change it. */
  readonly children: React.ReactNode;
  readonly actions?: React.ReactNode;
  /** What an unfilled ledger shows as its sum; without it there is no drawing. */
  readonly sum?: string;
}

/** Says why a page is empty and what to do next. */
export function EmptyState({ title, children, actions, sum }: EmptyStateProps) {
  return (
    <section className={styles.state}>
      {sum === undefined ? null : <UnfilledLedger sum={sum} />}
      <h2 className={styles.title}>{title}</h2>
      <p className={styles.text}>{children}</p>
      {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
    </section>
  );
}

function UnfilledLedger({ sum }: { readonly sum: string }) {
  return (
    <div className={styles.ledger} aria-hidden="true">
      {[72, 96, 60].map((width) => (
        <div key={width} className={styles.line}>
          <span style={{ width }} />
          <span style={{ width: width / 2 + 8 }} />
        </div>
      ))}
      <span className={styles.sum}>{sum}</span>
    </div>
  );
}

interface ErrorStateProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** What failed, in words; the frame of the page stays. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  if (error instanceof ApiError && error.statusCode === 403 && error.code !== 'step_up_required')
    return <ForbiddenState />;
  const { message, reference } = describeError(error);
  return (
    <section className={styles.state} role="alert">
      <h2 className={styles.title}>This did not load</h2>
      <p className={styles.text}>{message}</p>
      {reference === null ? null : <Reference text={reference} />}
      {onRetry === undefined ? null : (
        <div className={styles.actions}>
          <Button icon={IconRefresh} onClick={onRetry}>
            Try again
          </Button>
        </div>
      )}
    </section>
  );
}

function Reference({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <p className={styles.reference}>
      Reference for the support: <code>{text}</code>
      <LinkButton onClick={async () => setCopied(await copyText(text))}>{isCopied ? 'Copied' : 'Copy'}</LinkButton>
    </p>
  );
}

/** What cannot load without a connection. It loads by itself when the connection returns. */
export function OfflineState() {
  return (
    <section className={styles.state} role="status">
      <h2 className={styles.title}>You are offline</h2>
      <p className={styles.text}>This loads when the connection returns.</p>
    </section>
  );
}

function ForbiddenState() {
  return (
    <section className={styles.state}>
      <h2 className={styles.title}>You may not see this</h2>
      <p className={styles.text}>It is not part of your role. An admin can change your role.</p>
    </section>
  );
}

interface SkeletonProps {
  /** Height in pixels of what is loading, so that nothing moves when it arrives. */
  readonly height: number;
  readonly label?: string;
}

/** Takes the place of a block that is loading. It becomes visible after 150 ms. */
export function Skeleton({ height, label = 'Loading' }: SkeletonProps) {
  return (
    <div className={styles.skeleton} style={{ height }} role="status" data-loading>
      <span className="unseen">{label}</span>
    </div>
  );
}
