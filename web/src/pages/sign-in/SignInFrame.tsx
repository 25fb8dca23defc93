import { useEffect } from 'react';
import { Logo } from '../../app/Navigation.js';
import styles from './SignIn.module.css';

interface SignInFrameProps {
  readonly title: string;
  readonly children: React.ReactNode;
}

/** The page of people who are not signed in. */
export function SignInFrame({ title, children }: SignInFrameProps) {
  useEffect(() => {
    // A link of a mail or of the terminal that is opened here differs only in its fragment, which loads no page.
    const reload = () => window.location.reload();
    window.addEventListener('hashchange', reload);
    return () => window.removeEventListener('hashchange', reload);
  }, []);
  return (
    <div className={styles.frame}>
      <main className={styles.column}>
        <Logo name="C" isLarge />
        <h1 className={styles.title}>{title}</h1>
        {children}
      </main>
      <footer className={styles.footer}>
        <span>Commissions</span>
        <span aria-hidden="true">•</span>
        <span>You see your own figures. Managers see their team.</span>
      </footer>
    </div>
  );
}
