// Small pieces of the page.

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...content: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.append(...content);
  return made;
}

export function button(className: string, act: () => void, ...content: (Node | string)[]): HTMLButtonElement {
  const made = element("button", className, ...content);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}
