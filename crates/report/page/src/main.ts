document.documentElement.classList.remove("still"); export {};
