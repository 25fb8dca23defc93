import { FocusTrap } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import { phone } from '../shared/theme/breakpoints.js';
import { useReturnFocus } from './return-focus.js';
import styles from './SideDrawer.module.css';

interface SideDrawerProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: React.ReactNode;
  /** Buttons at the lower edge. */
  readonly footer?: React.ReactNode;
}

/**
 * Details at the right side: over the page or beside it, and the full screen on a phone. Escape
 * closes it, and the focus returns to where it was.
 */
export function SideDrawer({ label, onClose, children, footer }: SideDrawerProps) {
  const isPhone = useMediaQuery(phone, undefined, { getInitialValueInEffect: false });
  const drawer = useRef<HTMLElement>(null);
  useReturnFocus();
  useOpenDrawer(drawer, onClose);
  return (
    <Trap isActive={isPhone ?? false}>
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: with aria-modal the role is dialog */}
      <section
        ref={drawer}
        aria-label={label}
        role={isPhone ? 'dialog' : 'complementary'}
        aria-modal={isPhone || undefined}
        tabIndex={-1}
        className={styles.drawer}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by key */}
        <div className={styles.body} tabIndex={0} role="group" aria-label="Steps">
          {children}
        </div>
        {footer === undefined ? null : <div className={styles.footer}>{footer}</div>}
      </section>
    </Trap>
  );
}

/** The focus stays within a drawer that covers the page. */
function Trap({ isActive, children }: { readonly isActive: boolean; readonly children: React.ReactElement }) {
  return isActive ? <FocusTrap>{children}</FocusTrap> : children;
}

function useOpenDrawer(drawer: React.RefObject<HTMLElement | null>, onClose: () => void): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    drawer.current?.focus();
    const press = (event: KeyboardEvent) => {
      if (
        event.key === 'Escape' &&
        !event.defaultPrevented &&
        document.querySelector('[aria-modal="true"].mantine-Modal-content') === null
      )
        close.current();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [drawer]);
}
