import { Logo } from '../../app/Navigation.js';
import styles from './SignIn.module.css';

interface SignInFrameProps {
  readonly title: string;
  readonly children: React.ReactNode;
}

/** The page of people who are not signed in. */
export function SignInFrame({ title, children }: SignInFrameProps) {
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
