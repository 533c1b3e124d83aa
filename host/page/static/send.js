// Sends changes with the token of this login.

let change = "";

export function useChangeToken(token) {
  change = token || "";
}

export async function post(path, body) {
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Felt-Change": change },
      body: JSON.stringify(body),
    });
    return await answer.json();
  } catch {
    return { problem: "The host did not answer. Nothing is known to be done; look at the table, then do it again." };
  }
}
