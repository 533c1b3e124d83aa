// Sends changes with the token of this login.

const WAIT_MS = 15000; // the host answers within eight seconds, even if the table does not

let change = "";

export function useChangeToken(token) {
  change = token || "";
}

// The host's answer. `problem` says why it was not done; with `unanswered` nobody knows whether it was.
export async function post(path, body) {
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Felt-Change": change },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(WAIT_MS),
    });
    return await answer.json();
  } catch {
    return { problem: "The host did not answer. Try again.", unanswered: true };
  }
}
