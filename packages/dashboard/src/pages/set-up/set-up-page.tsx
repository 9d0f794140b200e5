export function SetUpPage() {
  return <main id="main">Not there yet.</main>;
}
