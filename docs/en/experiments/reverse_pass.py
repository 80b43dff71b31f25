# %%
print("all checks passed")
