// What every page may use: buttons that copy, parts that renew themselves, links out of the way of a second submit.

for (const button of document.querySelectorAll("[data-copy]")) {
  const label = button.querySelector("[data-label]");
  const before = label.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
      label.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(source);
      label.textContent = "Press Ctrl+C";
    }
    setTimeout(() => {
      label.textContent = before;
    }, 2000);
  });
}

for (const form of document.querySelectorAll("form[data-once]")) {
  form.addEventListener("submit", () => {
    for (const button of form.querySelectorAll("button")) {
      button.disabled = true;
    }
  });
}

// The page a browser keeps for "back" must not hold disabled buttons.
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("form[data-once] button")) {
    button.disabled = false;
  }
});

const PAUSE = 4000;

/** Puts `fresh` in the place of `old`, keeping scroll positions, open parts and the focus inside it. */
function renew(old, fresh) {
  if (old.innerHTML === fresh.innerHTML) {
    return;
  }
  const scrolled = [...old.querySelectorAll("[data-keep]")].map((box) => [box.dataset.keep, box.scrollLeft, box.scrollTop]);
  const open = [...old.querySelectorAll("details[open][id]")].map((part) => part.id);
  const focus = old.contains(document.activeElement) ? address(document.activeElement) : null;
  old.replaceChildren(...fresh.childNodes);
  for (const id of open) {
    document.getElementById(id)?.setAttribute("open", "");
  }
  for (const [name, left, top] of scrolled) {
    const box = old.querySelector(`[data-keep="${CSS.escape(name)}"]`);
    box?.scrollTo(left, top);
  }
  if (focus) {
    old.querySelector(focus)?.focus({ preventScroll: true });
  }
}

/** A selector that finds the same element in a newer copy of its part. */
function address(element) {
  if (element.id) {
    return `#${CSS.escape(element.id)}`;
  }
  if (element.dataset.keep) {
    return `[data-keep="${CSS.escape(element.dataset.keep)}"]`;
  }
  const href = element.getAttribute("href");
  return href ? `a[href="${CSS.escape(href)}"]` : null;
}

async function refresh() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
  if (!answer.ok) {
    return true;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const old of document.querySelectorAll("[data-renew]")) {
    const fresh = page.getElementById(old.id);
    if (fresh) {
      renew(old, fresh);
    }
  }
  return page.querySelector("[data-running]") !== null;
}

async function keepFresh() {
  let running = true;
  while (running) {
    await new Promise((resolve) => {
      setTimeout(resolve, PAUSE);
    });
    if (document.hidden) {
      continue;
    }
    try {
      running = await refresh();
    } catch {
      // the network comes and goes; the page stays as it is
    }
  }
}

if (document.querySelector("[data-running]")) {
  keepFresh();
}
