import styles from './Plans.module.css';

/** What two versions of a plan differ in, one sentence each. */
export function DifferenceList({ differences }: { readonly differences: readonly string[] }) {
  if (differences.length === 0) return null;
  return (
    <ul className={styles.differences}>
      {differences.map((difference) => (
        <li key={difference}>{difference}</li>
      ))}
    </ul>
  );
}
