import { type Icon } from '@tabler/icons-react';
import { type ComponentProps } from 'react';
import styles from './Button.module.css';

interface Look {
  /** `primary`: the one main action of a page. */
  readonly kind?: 'default' | 'primary' | 'quiet' | 'danger';
  /** `final`: the last action of a page or form. */
  readonly size?: 'default' | 'final';
  readonly icon?: Icon;
}

export type ButtonProps = Look & ComponentProps<'button'> & { readonly isBusy?: boolean };

export function Button({ kind, size, icon, isBusy = false, children, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      {...(isBusy ? busy : {})}
      className={`${buttonClass({ kind, size })} ${className ?? ''}`}
    >
      <ButtonContent icon={icon}>{children}</ButtonContent>
    </button>
  );
}

/** Clicks do nothing. A disabled button would lose the focus. */
const busy = {
  'aria-busy': true,
  'aria-disabled': true,
  onClick: (event: React.MouseEvent) => event.preventDefault(),
} as const;

/** The classes of a button, for links that look like one. */
export function buttonClass({ kind = 'default', size = 'default' }: Look = {}): string {
  return `${styles.button} ${styles[kind] ?? ''} ${size === 'final' ? styles.final : ''}`;
}

export function ButtonContent({ icon: Glyph, children }: { icon?: Icon | undefined; children: React.ReactNode }) {
  return (
    <>
      {Glyph === undefined ? null : <Glyph size={16} stroke={1.75} aria-hidden="true" />}
      {children}
    </>
  );
}

/** A button within text or a row, which looks like a link. */
export function LinkButton({ isBusy = false, className, ...rest }: ComponentProps<'button'> & { isBusy?: boolean }) {
  return <button type="button" {...rest} {...(isBusy ? busy : {})} className={`${styles.link} ${className ?? ''}`} />;
}

/** The name of a row, which opens the row. */
export function RowButton(props: ComponentProps<'button'>) {
  return <LinkButton {...props} className={styles.row} />;
}

interface IconButtonProps extends ComponentProps<'button'> {
  readonly icon: Icon;
  /** The name for screen readers and the tooltip. */
  readonly label: string;
}

/** A button without words. */
export function IconButton({ icon: Glyph, label, className, ...rest }: IconButtonProps) {
  return (
    <button type="button" title={label} aria-label={label} {...rest} className={`${styles.icon} ${className ?? ''}`}>
      <Glyph size={18} stroke={1.75} aria-hidden="true" />
    </button>
  );
}
