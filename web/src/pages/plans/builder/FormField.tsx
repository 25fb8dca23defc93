import styles from './Builder.module.css';

/** A visible label above a control that has its own name. */
export function FormField({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <div className={styles.field}>
      <span className={styles.fieldLabel} aria-hidden="true">
        {label}
      </span>
      {children}
    </div>
  );
}
